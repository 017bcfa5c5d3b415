import itertools

import torch
import torch.nn.functional as F
from torch import nn


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Linear(64, 256)

    def forward(self, z):
        return self.layers(z)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Linear(256, 1)

    def forward(self, x):
        return self.layers(x)


def discriminator_first(loader):
    net_g, net_d = Generator().cuda(), Critic().cuda()
    opt_g = torch.optim.Adam(net_g.parameters())
    opt_d = torch.optim.Adam(net_d.parameters())
    criterion = nn.BCEWithLogitsLoss()
    for real in loader:
        net_d.zero_grad()
        output = net_d(real.cuda())
        loss_real = criterion(output, torch.ones_like(output))
        loss_real.backward()
        fake = net_g(torch.randn(real.size(0), 64, device="cuda"))
        output = net_d(fake.detach())
        loss_fake = criterion(output, torch.zeros_like(output))
        loss_fake.backward()
        opt_d.step()

        net_g.zero_grad()
        output = net_d(fake)  # want SAT515 "net_d computes gradients of its weights for another update"
        loss = criterion(output, torch.ones_like(output))
        loss.backward()
        opt_g.step()


class Trainer:
    def __init__(self, model, optimizer):
        self.model, self.optimizer = model, optimizer

    def train_step(self, x, y):
        made = self.model["generator"](x)
        loss = F.l1_loss(made, y)
        if self.steps > self.config["start"]:
            judged = self.model["critic"](made)  # want SAT515 "self.model"
            loss += self.config["weight"] * F.softplus(-judged).mean()
        self.optimizer["generator"].zero_grad()
        loss.backward()
        self.optimizer["generator"].step()

        with torch.no_grad():
            made = self.model["generator"](x)
        loss = F.softplus(-self.model["critic"](y)).mean() + F.softplus(self.model["critic"](made)).mean()
        self.optimizer["critic"].zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model["critic"].parameters(), 1.0)
        self.optimizer["critic"].step()

    def train(self, loader):
        for x, y in loader:
            self.train_step(x.cuda(), y.cuda())


def build(model):
    torch.nn.utils.clip_grad_norm_(model["generator"].parameters(), 1.0)


class AdversarialLoss(nn.Module):
    def __init__(self, critic):
        super().__init__()
        self.critic = critic

    def forward(self, fake, real):
        return self.critic(fake), self.critic(real)

    def of_critic(self, fake, real):
        low, high = self.forward(fake.clone().detach(), real)
        return F.softplus(low).mean() + F.softplus(-high).mean()

    def of_generator(self, fake, real):
        low, _ = self.forward(fake, real)
        return F.softplus(-low).mean()


def with_loss_object(loader, scaler):
    generator, critic = Generator().cuda(), Critic().cuda()
    adversarial = AdversarialLoss(critic)
    opt_g = torch.optim.AdamW(itertools.chain(generator.parameters()))
    opt_d = torch.optim.AdamW(critic.parameters())
    for z, real in loader:
        fake = generator(z.cuda())
        losses = {}
        losses["critic"] = adversarial.of_critic(fake, real.cuda())
        opt_d.zero_grad()
        scaler.scale(losses["critic"]).backward()
        scaler.step(opt_d)
        losses["generator"] = adversarial.of_generator(fake, real.cuda())  # want SAT515 "critic"
        opt_g.zero_grad()
        scaler.scale(sum(losses[k] for k in ("generator",))).backward()
        scaler.step(opt_g)


def several(loader, accelerator):
    generator, periods, scales = Generator().cuda(), Critic().cuda(), Critic().cuda()
    optim_g = torch.optim.AdamW(generator.parameters())
    optim_d = torch.optim.AdamW(itertools.chain(periods.parameters(), scales.parameters()))

    def reset():
        optim_d.zero_grad()
        optim_g.zero_grad()

    for z, real in loader:
        fake = generator(z.cuda())
        reset()
        loss = periods(fake.detach()).mean() - periods(real.cuda()).mean() + scales(fake.detach()).mean()
        accelerator.backward(loss)
        optim_d.step()
        reset()
        parts = []
        parts.append(periods(fake).mean())  # want SAT515 "periods"
        parts.append(scales(fake).mean())
        accelerator.backward(-sum(parts))
        optim_g.step()


class Agent:
    def __init__(self):
        self.actor, self.critic = Generator().cuda(), Critic().cuda()
        self.actor_optimizer = torch.optim.Adam(self.actor.parameters())
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters())

    def update_critic(self, state, value):
        loss = F.mse_loss(self.critic(state), value)
        self.critic_optimizer.zero_grad()
        loss.backward()
        self.critic_optimizer.step()

    def update_actor(self, state):
        action = self.actor(state)
        loss = -self.critic(action).mean()  # want SAT515 "self.critic"
        self.actor_optimizer.zero_grad()
        loss.backward()
        self.actor_optimizer.step()

    def learn(self, loader):
        for state, value in loader:
            self.update_critic(state.cuda(), value.cuda())
            self.update_actor(state.cuda())


class Swapper:
    """The critics' update goes through the generators, which nothing detaches."""

    def __init__(self, lr):
        self.there, self.back = Generator().cuda(), Generator().cuda()
        self.first, self.second = Critic().cuda(), Critic().cuda()
        self.makers = torch.optim.Adam(itertools.chain(self.there.parameters(), self.back.parameters()), lr=lr)
        self.judges = torch.optim.Adam(itertools.chain(self.first.parameters(), self.second.parameters()), lr=lr)

    def train(self, loader):
        for a, b in loader:
            a, b = a.cuda(), b.cuda()
            self.judges.zero_grad()
            fake_b, fake_a = self.there(a), self.back(b)  # want SAT515 "self.there computes gradients of its weights for another update"
            real = F.softplus(-self.first(a)).mean() + F.softplus(-self.second(b)).mean()
            fake = F.softplus(self.first(fake_a)).mean() + F.softplus(self.second(fake_b)).mean()
            (real + fake).backward()
            self.judges.step()
            self.makers.zero_grad()
            fake_b, fake_a = self.there(a), self.back(b)
            fooled = F.softplus(-self.first(fake_a)).mean()  # want SAT515 "self.first computes gradients of its weights for another update"
            fooled = fooled + F.softplus(-self.second(fake_b)).mean()
            fooled.backward()
            self.makers.step()
