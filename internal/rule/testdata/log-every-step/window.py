import cv2
import matplotlib.pyplot as plt
import torch


def show(images):
    plt.imshow(images[0])
    plt.show()


def look(images):
    cv2.imshow("sample", images[0])
    cv2.waitKey(1)


def train(model, loader, optimizer, args):
    model.cuda()
    for epoch in range(100):
        for x in loader:
            loss = model(x.cuda(non_blocking=True)).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        if epoch % 10 == 0:
            images = model.sample(8)
            show(images)  # want SAT310 "opens a window"
            plt.show()
        if args.debug:
            show(images)  # somebody asked for it
        look(images)  # goes on at once
        plt.show(block=False)


def train_watched(model, loader, optimizer):
    for epoch in range(100):
        for x in loader:
            loss = model(x.cuda(non_blocking=True)).mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        cv2.imshow("sample", model.sample(8))
        cv2.waitKey(0)  # want SAT310 "opens a window"


def report(model):
    show(model.sample(8))  # after training
